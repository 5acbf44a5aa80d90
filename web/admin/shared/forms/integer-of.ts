/** The integer that somebody typed. Anything else goes to the service as it is, which refuses it and says what it accepts. */
export const integerOf = (text: string): number =>
  /^-?\d{1,15}$/.test(text.trim()) ? Number(text) : (text as unknown as number)
