/** The id of an operation in words: `pauseSubscription` as `Pause subscription`. */
export const operationWords = (operation: string): string =>
  operation
    .replace(/^./, (first) => first.toUpperCase())
    .replace(/[A-Z]/g, (letter, at) => (at === 0 ? letter : ` ${letter.toLowerCase()}`))
