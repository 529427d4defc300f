# Tool: puts the note that the flow was started with under a heading.

BEGIN {
    json_read()
    note = json_text["/context/note"]
    printf "{\"article_markdown\":%s}\n", json_quote("# Note\n\n" note "\n")
}
