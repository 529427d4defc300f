# Evaluator: a text with an OPEN in it is not done.

BEGIN {
    json_read()
    open = json_text["/candidate/article_markdown"] ~ /OPEN/
    verdict = "\"pass\",\"summary\":\"nothing is left to do\",\"findings\":[]"
    if (open)
        verdict = "\"fail\",\"summary\":\"something is still to be done\",\"findings\":" \
            "[{\"code\":\"todo\",\"message\":\"The text has an OPEN.\"}]"
    printf "{\"contract_version\":\"symphlo.evaluation-result.v1\",\"verdict\":%s}\n", verdict
}
