/** When the service compares everything by itself, which no test clock moves, and how it does so now. */
export const nextComparison = (nextAt: unknown, now: string): string[] =>
  nextAt === null ? [] : [`The next comparison of all is at ${nextAt} (real time). To compare and correct now: ${now}`]
