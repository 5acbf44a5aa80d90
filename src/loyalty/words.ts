/** "1 point", "1,500 points". */
export const counted = (count: number, thing: string): string =>
  `${count.toLocaleString('en', { maximumFractionDigits: 4 })} ${thing}${count === 1 ? '' : 's'}`
