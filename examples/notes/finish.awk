# Tool: adds to the draft that a person said yes.

BEGIN {
    json_read()
    draft = json_text["/context/draft/article_markdown"]
    printf "{\"article_markdown\":%s}\n", json_quote(draft "\n_Approved by a person._\n")
}
