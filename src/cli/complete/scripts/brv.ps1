# Completion of brv for PowerShell. Add to the file that $PROFILE names:
#   brv completions powershell | Out-String | Invoke-Expression

Register-ArgumentCompleter -Native -CommandName brv, git-brv -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $words = @($commandAst.CommandElements |
            Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
            ForEach-Object {
                if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value }
                else { $_.Extent.Text }
            })
    $current = '=' + $wordToComplete.Trim("'", '"')
    $encoding = [Console]::OutputEncoding
    try {
        [Console]::OutputEncoding = [System.Text.Encoding]::UTF8
        $program = (Get-Command -CommandType Application -Name brv -ErrorAction Stop | Select-Object -First 1).Source
        & $program __complete powershell @words $current 2>$null | ForEach-Object {
            $text, $shown, $about = $_ -split "`t", 3
            if (-not $about) { $about = $shown }
            [System.Management.Automation.CompletionResult]::new($text, $shown, 'ParameterValue', $about)
        }
    } catch {
        # do not interrupt the user while typing
    } finally {
        [Console]::OutputEncoding = $encoding
    }
}
