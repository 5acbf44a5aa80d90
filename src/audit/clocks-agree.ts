/** The one rule about the node that runs the auditor, and about no store. */
export const clocksAgree = {
  name: 'clocks_agree',
  severity: 'warning',
  help: "The clock of the node that ran the auditor differs from the database's by more than two seconds. Let both take their time from the network. Other nodes say it in their log and in `perennial_clock_offset_seconds`."
} as const
