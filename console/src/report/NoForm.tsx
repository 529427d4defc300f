// Stands where the console has forms.

export function SchemaForm() {
  return null;
}
