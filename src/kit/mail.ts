import { createTransport } from 'nodemailer'
import type { Secret } from './secrets.ts'

/** A mail to one person. `senderName` is shown beside the sender's address; each of its texts is there for readers without HTML. */
export type Mail = { to: string; senderName: string; subject: string; text: string; html: string }

/** How sending ended. `isFinal`: the same mail would be refused again. */
export type MailOutcome = { sent: true } | { sent: false; reason: string; isFinal: boolean }

/** An SMTP server, and the address that mails are sent from. */
export type SmtpServer = { url: Secret; from: string }

/** Each limit is for one step; a mail has several. */
const STEP_MS = 10_000
const WHOLE_MS = 45_000
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/** What sends mail by an SMTP server, each over a connection of its own. Never throws: a failure is an outcome. */
export function createSmtp(
  { url, from }: SmtpServer,
  { wholeMs = WHOLE_MS } = {}
): (mail: Mail) => Promise<MailOutcome> {
  const server = new URL(url.reveal())
  const transport = createTransport({
    url: server.href,
    // A password is never sent in plain text over a network.
    requireTLS: server.protocol === 'smtp:' && server.username !== '' && !LOOPBACK.includes(server.hostname),
    dnsTimeout: STEP_MS,
    connectionTimeout: STEP_MS,
    greetingTimeout: STEP_MS,
    socketTimeout: STEP_MS,
    disableFileAccess: true,
    disableUrlAccess: true
  })
  return async ({ to, senderName, subject, text, html }) => {
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => late.reject(new Error(`The mail server took longer than ${wholeMs} ms`)), wholeMs)
    try {
      // As an object, so that an address is never read as a list of several.
      const sending = transport.sendMail({
        from: { name: senderName, address: from },
        to: { name: '', address: to },
        subject,
        text,
        html
      })
      // What comes after the limit is heard by nobody.
      sending.catch(() => {})
      await Promise.race([sending, late.promise])
      return { sent: true }
    } catch (err) {
      return { sent: false, reason: reasonOf(err), isFinal: isFinal(err) }
    } finally {
      clearTimeout(timer)
    }
  }
}

/** The server's own words may quote the receiver's address, so only its code is kept. */
function reasonOf(err: unknown): string {
  const { code, responseCode, command } = err as { code?: string; responseCode?: number; command?: string }
  if (responseCode !== undefined) return `The mail server answered ${responseCode} to ${command ?? 'a command'}`
  if (code !== undefined) return `The mail server cannot be used (${code})`
  return err instanceof Error ? err.message : String(err)
}

/** A receiver or message that the server refuses for good (5xx). A refused login is for the operator to mend, meanwhile. */
function isFinal(err: unknown): boolean {
  const { code, responseCode = 0 } = err as { code?: string; responseCode?: number }
  return responseCode >= 500 && (code === 'EENVELOPE' || code === 'EMESSAGE')
}

/** What HTML shows as this text. */
export const inHtml = (text: string): string => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`)
