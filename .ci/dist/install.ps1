# Installs brv @VERSION@ for this user, into %LOCALAPPDATA%\Programs\brv.
#
#   irm @BASE@/install.ps1 | iex
#   & ([scriptblock]::Create((irm @BASE@/install.ps1))) -Uninstall
#
# BRV_INSTALL_DIR    another folder for the programs
# BRV_DOWNLOAD_BASE  a mirror: the address of the folder that has the archives
#
# It knows the checksum of this version, and does not change PATH. Runs in Windows PowerShell 5.1 and in PowerShell 7.
param([switch] $Uninstall)

function Install-Brv([switch] $Uninstall) {
    $ErrorActionPreference = 'Stop'
    $ProgressPreference = 'SilentlyContinue'
    $names = 'brv.exe', 'git-brv.exe'
    $dir = if ($env:BRV_INSTALL_DIR) { $env:BRV_INSTALL_DIR } else { Join-Path $env:LOCALAPPDATA 'Programs\brv' }
    $list = Join-Path $dir 'installed.txt'
    $known = if (Test-Path -LiteralPath $list) { @(Get-Content -LiteralPath $list) } else { @() }
    if ($Uninstall) {
        if (-not $known) { throw "nothing to uninstall: there is no $list" }
        foreach ($name in $names) { Remove-Item -LiteralPath (Join-Path $dir $name) -Force -ErrorAction SilentlyContinue }
        Remove-Item -LiteralPath $list -Force
        if (-not (Get-ChildItem -LiteralPath $dir -Force)) { Remove-Item -LiteralPath $dir -Force }
        Write-Output 'brv is uninstalled; your projects and settings are as they were'
        return
    }
    $sum = '@SUM:x86_64-pc-windows-msvc@'
    # a program for x64 also runs on ARM64 from Windows 11 on
    if (-not $sum -or -not [Environment]::Is64BitOperatingSystem) {
        throw 'there is no archive for this machine; use: cargo install brv --locked'
    }
    foreach ($name in $names) {
        $file = Join-Path $dir $name
        if ((Test-Path -LiteralPath $file) -and ($known -notcontains $name)) {
            throw "$file is another program; move it away, or set BRV_INSTALL_DIR"
        }
    }
    $base = if ($env:BRV_DOWNLOAD_BASE) { $env:BRV_DOWNLOAD_BASE.TrimEnd('/') } else { '@BASE@' }
    if ($base -notmatch '^(https://|http://(127\.0\.0\.1|localhost)[:/])') { throw "only https is allowed: $base" }
    $archive = 'brv-@LABEL@-x86_64-pc-windows-msvc'
    $work = Join-Path ([IO.Path]::GetTempPath()) ([Guid]::NewGuid())
    New-Item -ItemType Directory -Path $work | Out-Null
    try {
        [Net.ServicePointManager]::SecurityProtocol = 'Tls12'
        $zip = Join-Path $work 'brv.zip'
        Invoke-WebRequest -UseBasicParsing -Uri "$base/$archive.zip" -OutFile $zip
        if ((Get-FileHash -LiteralPath $zip -Algorithm SHA256).Hash -ne $sum) {
            throw "$base/$archive.zip is not what was released: wrong checksum. Is there a proxy in between?"
        }
        Expand-Archive -LiteralPath $zip -DestinationPath $work
        New-Item -ItemType Directory -Path $dir -Force | Out-Null
        foreach ($name in $names) {
            $file = Join-Path $dir $name
            Copy-Item -LiteralPath (Join-Path (Join-Path $work $archive) $name) -Destination "$file.new" -Force
            # a program that runs can be renamed, not replaced; the next installation removes what is left of it
            Get-ChildItem -LiteralPath $dir -Filter "$name.old*" | Remove-Item -Force -ErrorAction SilentlyContinue
            if (Test-Path -LiteralPath $file) { Move-Item -LiteralPath $file "$file.old-$([Guid]::NewGuid())" }
            Move-Item -LiteralPath "$file.new" $file
            Get-ChildItem -LiteralPath $dir -Filter "$name.old*" | Remove-Item -Force -ErrorAction SilentlyContinue
        }
        Set-Content -LiteralPath $list -Value $names
    } finally {
        Remove-Item -LiteralPath $work -Recurse -Force -ErrorAction SilentlyContinue
    }
    Write-Output "installed: $(& (Join-Path $dir 'brv.exe') --version) in $dir"
    $first = Get-Command brv -ErrorAction SilentlyContinue
    if (-not $first) {
        Write-Output "add $dir to your PATH"
    } elseif ($first.Source -ne (Join-Path $dir 'brv.exe')) {
        Write-Warning "your PATH finds $($first.Source) first, not $dir\brv.exe"
    }
}

Install-Brv -Uninstall:$Uninstall
