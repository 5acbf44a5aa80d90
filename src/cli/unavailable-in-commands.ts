/**
 * A message of the admin API that says when to repeat a request, in words of the command line, where nobody sees the headers.
 * `status` answers without a database. A read changes nothing. Other messages stay as they are.
 */
export function unavailableInCommands(message: string, { isRead }: { isRead: boolean }): string {
  const [what] = message.split(/[.;] repeat (?:the request|it) after the seconds in Retry-After/i)
  if (what === message) return message
  const unknown = !isRead && message.includes('is not known') ? 'Whether a change was made is not known. ' : ''
  return `${what}. ${unknown}\`perennial status\` says what does not work, and what to do`
}
