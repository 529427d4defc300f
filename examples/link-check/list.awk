# Tool: lists the Markdown files below a folder, in order.

BEGIN {
    json_read()
    folder = json_text["/context/folder"]
    if (folder == "")
        fail("the input names no folder")
    count = file_list(folder, ".md")
    for (n = 1; n <= count; n++)
        files = files (n > 1 ? "," : "") json_quote(file_name[n])
    printf "{\"folder\":%s,\"files\":[%s]}\n", json_quote(folder), files
}
