// Schedules.

export const schedules = {
  title: "Schedules",
  empty: { title: "No schedule", body: "A schedule starts a flow at set times while Segue runs." },
};
