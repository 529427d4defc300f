# Tool: joins what was seen of each file into one report, in the order of the files.

BEGIN {
    json_read()
    count = json_count["/context/items"]
    for (n = 1; n <= count; n++) {
        item = "/context/items/" n
        broken = json_count[item "/broken"]
        links += json_text[item "/links"]
        all += broken
        table = table "| " json_text[item "/file"] " | " json_text[item "/links"] " | " broken " |\n"
        for (m = 1; m <= broken; m++) {
            link = item "/broken/" m
            list = list "* " json_text[item "/file"] ":" json_text[link "/line"] ": " json_text[link "/target"] "\n"
        }
    }
    report = "# Links\n\n" count " files, " links + 0 " links, " all + 0 " broken.\n\n"
    report = report "| File | Links | Broken |\n| --- | --- | --- |\n" table
    if (list != "")
        report = report "\n## Broken\n\n" list
    printf "{\"files\":%d,\"broken\":%d,\"article_markdown\":%s}\n", count, all, json_quote(report)
}
