# Tool: reads the file that says what is to be done, for both agents.

BEGIN {
    json_read()
    path = json_text["/context/task"]
    if (path == "")
        fail("the input names no task")
    printf "{\"task\":%s}\n", json_quote(file_read(path))
}
