# Reads a tool call (one JSON object) and prints the note under a heading. A note with quotes or backslashes in it is
# more than sed can read; it is left out.
note=$(sed -n 's/.*"note":"\([^"\\]*\)".*/\1/p')
printf '{"article_markdown":"# Note\\n\\n%s\\n"}\n' "$note"
