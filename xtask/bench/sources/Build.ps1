param(
    [ValidateSet('Debug', 'Release')] [string] $Configuration = 'Debug',
    [switch] $Test
)

$ErrorActionPreference = 'Stop'
$root = Split-Path -Parent $PSScriptRoot

dotnet build "$root/Shop.sln" --configuration $Configuration --nologo
if ($LASTEXITCODE -ne 0) { exit $LASTEXITCODE }

if ($Test) {
    Get-ChildItem "$root/tests" -Filter *.csproj -Recurse | ForEach-Object {
        dotnet test $_.FullName --no-build --configuration $Configuration
    }
}
