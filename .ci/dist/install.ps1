# Installs brv @VERSION@ for this user, into %LOCALAPPDATA%\Programs\brv.
#
#   irm @BASE@/install.ps1 | iex
#   & ([scriptblock]::Create((irm @BASE@/install.ps1))) -Uninstall
#
# BRV_INSTALL_DIR    another folder for the programs
# BRV_DOWNLOAD_BASE  a mirror: the address of the folder that has the archives
#
# It knows the checksum of this version, and does not change PATH. It lists what it installs with checksums, and
# replaces or removes only files that still are as listed. If it fails, all is as it was.
# Runs in Windows PowerShell 5.1 and in PowerShell 7.
param([switch] $Uninstall)

function Install-Brv([switch] $Uninstall) {
    $ErrorActionPreference = 'Stop'
    $ProgressPreference = 'SilentlyContinue'
    $names = 'brv.exe', 'git-brv.exe', 'completions\brv.ps1'
    $dir = if ($env:BRV_INSTALL_DIR) { $env:BRV_INSTALL_DIR } else { Join-Path $env:LOCALAPPDATA 'Programs\brv' }
    $dir = $ExecutionContext.SessionState.Path.GetUnresolvedProviderPathFromPSPath($dir)
    $list = Join-Path $dir 'installed.txt'
    $known = @(if (Test-Path -LiteralPath $list) { Get-Content -LiteralPath $list })

    function Get-Sum($file) { (Get-FileHash -LiteralPath $file -Algorithm SHA256).Hash }
    # Is the file of this name as this script has installed it?
    function Test-Ours($name) {
        $file = Join-Path $dir $name
        (Test-Path -LiteralPath $file -PathType Leaf) -and ($known -contains "$(Get-Sum $file) $name")
    }
    # A program that runs can be renamed, not removed: what is left of it goes as soon as it has ended.
    function Remove-Old {
        foreach ($name in $names) {
            $file = Join-Path $dir $name
            $folder = Split-Path -Parent $file
            if (-not (Test-Path -LiteralPath $folder)) { continue }
            foreach ($old in @(Get-ChildItem -LiteralPath $folder -Filter "$(Split-Path -Leaf $file).brv-old-*")) {
                try { Remove-Item -LiteralPath $old.FullName -Force } catch { $old.FullName }
            }
        }
    }
    function Remove-Empty($folder) {
        if ((Test-Path -LiteralPath $folder) -and -not (Get-ChildItem -LiteralPath $folder -Force)) {
            Remove-Item -LiteralPath $folder -Force
        }
    }

    if ($Uninstall) {
        if (-not $known) { throw "nothing to uninstall: there is no $list" }
        foreach ($name in $names) {
            $file = Join-Path $dir $name
            if (Test-Ours $name) {
                Move-Item -LiteralPath $file -Destination "$file.brv-old-$([Guid]::NewGuid())"
            } elseif ((Test-Path -LiteralPath $file) -and ($known -like "* $name")) {
                Write-Warning "changed, so it stays: $file"
            }
        }
        Remove-Item -LiteralPath $list -Force
        foreach ($file in @(Remove-Old)) { Write-Warning "it still runs; remove it when it has ended: $file" }
        Remove-Empty (Join-Path $dir 'completions')
        Remove-Empty $dir
        Write-Output 'brv is uninstalled; your projects and settings are as they were'
        return
    }

    $sum = '@SUM:x86_64-pc-windows-msvc@'
    # a program for x64 also runs on ARM64 from Windows 11 on
    if (-not $sum -or -not [Environment]::Is64BitOperatingSystem) {
        throw 'there is no archive for this machine; use: cargo install brv --locked'
    }
    $names = @(foreach ($name in $names) {
        $file = Join-Path $dir $name
        if (-not (Test-Path -LiteralPath $file) -or (Test-Ours $name)) {
            $name
        } elseif ($name -like '*.exe') {
            throw "$file is another program; move it away, or set BRV_INSTALL_DIR"
        } else {
            Write-Warning "$file was not installed by this script; it stays"
        }
    })
    $base = if ($env:BRV_DOWNLOAD_BASE) { $env:BRV_DOWNLOAD_BASE.TrimEnd('/') } else { '@BASE@' }
    if ($base -notmatch '^(https://|http://(127\.0\.0\.1|localhost)[:/])') { throw "only https is allowed: $base" }
    $archive = 'brv-@LABEL@-x86_64-pc-windows-msvc'
    $work = Join-Path ([IO.Path]::GetTempPath()) ([Guid]::NewGuid())
    $new = Join-Path $dir 'brv-new'
    $isNew = -not (Test-Path -LiteralPath $dir)
    $isLocked = $false
    New-Item -ItemType Directory -Path $work | Out-Null
    try {
        [Net.ServicePointManager]::SecurityProtocol = 'Tls12'
        $zip = Join-Path $work 'brv.zip'
        Invoke-WebRequest -UseBasicParsing -Uri "$base/$archive.zip" -OutFile $zip
        if ((Get-Sum $zip) -ne $sum) {
            throw "$base/$archive.zip is not what was released: wrong checksum. Is there a proxy in between?"
        }
        Expand-Archive -LiteralPath $zip -DestinationPath $work

        New-Item -ItemType Directory -Path $dir -Force | Out-Null
        if (Test-Path -LiteralPath $new) { throw "another installation is at work; if there is none, remove $new" }
        New-Item -ItemType Directory -Path $new | Out-Null
        $isLocked = $true
        $lines = @(foreach ($name in $names) {
            $file = Join-Path $new $name
            New-Item -ItemType Directory -Path (Split-Path -Parent $file) -Force | Out-Null
            Copy-Item -LiteralPath (Join-Path (Join-Path $work $archive) $name) -Destination $file
            "$(Get-Sum $file) $name"
        })
        $version = $null
        try { $version = & (Join-Path $new 'brv.exe') --version } catch { Write-Verbose "$_" }
        if (-not $version -or $LASTEXITCODE -ne 0) { throw 'the program does not run on this machine' }

        $done = @()
        try {
            # until they are gone, the list has the old files, too
            Set-Content -LiteralPath $list -Value ($lines + $known)
            foreach ($name in $names) {
                $file = Join-Path $dir $name
                $old = "$file.brv-old-$([Guid]::NewGuid())"
                New-Item -ItemType Directory -Path (Split-Path -Parent $file) -Force | Out-Null
                if (Test-Path -LiteralPath $file) { Move-Item -LiteralPath $file -Destination $old }
                $done += , @($file, $old)
                Move-Item -LiteralPath (Join-Path $new $name) -Destination $file
            }
            Set-Content -LiteralPath $list -Value $lines
        } catch {
            foreach ($pair in $done) {
                if (Test-Path -LiteralPath $pair[0]) { Remove-Item -LiteralPath $pair[0] -Force }
                if (Test-Path -LiteralPath $pair[1]) { Move-Item -LiteralPath $pair[1] -Destination $pair[0] }
            }
            Remove-Item -LiteralPath $list -Force -ErrorAction SilentlyContinue
            if ($known) { Set-Content -LiteralPath $list -Value $known }
            throw
        }
        # a program that still runs keeps its old file until the next installation
        Remove-Old | Out-Null
    } finally {
        Remove-Item -LiteralPath $work -Recurse -Force -ErrorAction SilentlyContinue
        if ($isLocked) { Remove-Item -LiteralPath $new -Recurse -Force -ErrorAction SilentlyContinue }
        if ($isNew) {
            Remove-Empty (Join-Path $dir 'completions')
            Remove-Empty $dir
        }
    }
    Write-Output "installed: $version in $dir"
    $first = Get-Command brv -ErrorAction SilentlyContinue | Select-Object -First 1
    if (-not $first -or $first.Source -ne (Join-Path $dir 'brv.exe')) {
        if ($first) { Write-Warning "your PATH finds $($first.Source) first, not $dir\brv.exe" }
        Write-Output "add $dir to your PATH"
    }
}

Install-Brv -Uninstall:$Uninstall
