import { createSmtp, type Mail, type MailOutcome, type SmtpServer } from '#kit/mail'
import type { Sandbox } from '../../sandbox/index.ts'

export type Mailer = {
  /** Whether mail to customers of the store can be sent. */
  canMail(storeId: number): Promise<boolean>
  /** Never throws for what a mail server does. */
  send(storeId: number, mail: Mail): Promise<MailOutcome>
}

/** What sends no mail, where no mail server is known. */
export const noMail = async (): Promise<MailOutcome> => ({
  sent: false,
  reason: 'the service has no mail server',
  isFinal: true
})

/** Sends mail by the operator's server. Mail to customers of a sandbox shop goes to the sandbox, which shows it and sends it to nobody. */
export function createMailer(sandbox: Pick<Sandbox, 'mail'>, smtp: SmtpServer | null): Mailer {
  const send = smtp ? createSmtp(smtp) : noMail
  return {
    canMail: async (storeId) => smtp !== null || (await sandbox.mail.hasShop(storeId)),
    async send(storeId, mail) {
      if (await sandbox.mail.receive(storeId, mail)) return { sent: true }
      return send(mail)
    }
  }
}
