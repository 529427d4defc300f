# Tool: says which documents there are, in order. With `-v text=yes` it hands on what is in them as well: for models,
# which read nothing themselves. Agents are given the names and read the originals.

BEGIN {
    json_read()
    folder = json_text["/context/folder"]
    if (folder == "")
        fail("the input names no folder")
    count = file_list(folder, ".md")
    for (n = 1; n <= count; n++) {
        content = file_read(file_name[n])
        documents = documents (n > 1 ? "," : "") "{\"path\":" json_quote(file_name[n])
        if (text == "yes")
            documents = documents ",\"text\":" json_quote(content)
        documents = documents "}"
    }
    printf "{\"folder\":%s,\"documents\":[%s]}\n", json_quote(folder), documents
}
