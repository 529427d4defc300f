# Evaluator: turns a review into a verdict. The review ends with a line `VERDICT: approve` or `VERDICT: changes`; its
# lines that begin with `- ` are what has to be changed.

BEGIN {
    json_read()
    count = split(json_text["/candidate/agent_output"], line, "\n")
    for (n = 1; n <= count; n++) {
        if (match(line[n], /VERDICT: (approve|changes)/))
            verdict = substr(line[n], RSTART + 9, RLENGTH - 9)
        if (line[n] ~ /^- / && found < 16)
            findings = findings (found++ ? "," : "") \
                "{\"code\":\"change." found "\",\"message\":" json_quote(substr(line[n], 3, 400)) "}"
    }
    if (verdict == "")
        fail("the review has no line VERDICT: approve or VERDICT: changes")
    if (verdict == "approve")
        answer("pass", "the reviewer approves", "")
    else if (found)
        answer("fail", "the reviewer wants changes", findings)
    else
        answer("fail", "the reviewer wants changes", "{\"code\":\"change\",\"message\":\"The review does not say which.\"}")
}

function answer(verdict, summary, findings) {
    printf "{\"contract_version\":\"symphlo.evaluation-result.v1\",\"verdict\":\"%s\",\"summary\":\"%s\",\"findings\":[%s]}\n", \
        verdict, summary, findings
}
