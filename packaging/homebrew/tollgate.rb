class Tollgate < Formula
  desc "One gate for every tool call of every coding agent"
  homepage "@REPOSITORY@"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

  depends_on :linux

  on_linux do
@DOWNLOADS@
  end

  def install
    bin.install "tollgate"
    man1.install Dir["man/man1/*.1"]
    bash_completion.install "completions/tollgate.bash" => "tollgate"
    zsh_completion.install "completions/_tollgate"
    fish_completion.install "completions/tollgate.fish"
    doc.install "THIRD-PARTY-LICENSES.txt", "tollgate.cdx.json"
  end

  def caveats
    <<~TEXT
      Guard the coding agents of this user: tollgate init
    TEXT
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/tollgate --version")
  end
end
