#!/bin/sh
# Installs tollgate @VERSION@ for this user; needs no root.
#
#   sh install.sh              download the release and install it
#   sh install.sh FILE.tar.gz  install a tarball that is already here
#   sh install.sh URL          download the tarball from this folder instead
#
# TOLLGATE_INSTALL_DIR is the folder for the binary (default: ~/.local/bin).
# The SHA-256 of each tarball of this release is in this script; nothing else is installed.
set -eu

base=@BASE@
sums="@SUMS@"

main() {
    folder=${TOLLGATE_INSTALL_DIR:-${HOME:?set HOME or TOLLGATE_INSTALL_DIR}/.local/bin}
    name=$(tarball_name)
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    trap 'exit 1' HUP INT TERM
    fetch "${1:-$base}" "$name"
    verify "$name"
    tar -xzf "$scratch/$name" -C "$scratch"
    mkdir -p "$folder"
    # A running hook keeps the old file: replace it, never write into it.
    cp "$scratch/${name%.tar.gz}/tollgate" "$folder/.tollgate.$$"
    chmod 755 "$folder/.tollgate.$$"
    mv -f "$folder/.tollgate.$$" "$folder/tollgate"
    next_steps
}

# The tarball of this release for this machine.
tarball_name() {
    [ "$(uname -s)" = Linux ] || fail "there is no binary for $(uname -s)"
    machine=$(uname -m)
    case $machine in
        x86_64 | amd64) machine=x86_64 ;;
        aarch64 | arm64) machine=aarch64 ;;
    esac
    found=$(echo "$sums" | awk -v machine="-$machine-" 'index($2, machine) { print $2 }')
    [ -n "$found" ] || fail "this release has no binary for $machine"
    echo "$found"
}

# Puts the tarball into the scratch folder.
fetch() {
    if [ -f "$1" ]; then
        cp "$1" "$scratch/$2"
    elif command -v curl >/dev/null; then
        curl --fail --silent --show-error --location --output "$scratch/$2" "$1/$2"
    elif command -v wget >/dev/null; then
        wget --quiet --output-document "$scratch/$2" "$1/$2"
    else
        fail "neither curl nor wget is installed; download $1/$2 and run: sh install.sh $2"
    fi
}

verify() {
    expected=$(echo "$sums" | awk -v name="$1" '$2 == name { print $1 }')
    if command -v sha256sum >/dev/null; then
        actual=$(sha256sum <"$scratch/$1")
    else
        actual=$(shasum -a 256 <"$scratch/$1")
    fi
    actual=${actual%% *}
    [ "$actual" = "$expected" ] ||
        fail "the SHA-256 of the tarball is $actual, not $expected; nothing was installed"
}

next_steps() {
    echo "Installed $("$folder/tollgate" --version) as $folder/tollgate"
    case :$PATH: in
        *:"$folder":*) ;;
        *) echo "Add $folder to your PATH." ;;
    esac
    echo "Guard the coding agents of this user: tollgate init"
    echo "Shell completions: tollgate completions --help"
}

fail() {
    echo "install.sh: $1" >&2
    exit 1
}

main "$@"
