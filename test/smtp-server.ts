import { type AddressInfo, createServer, type Socket } from 'node:net'
import { after } from 'node:test'

export type ReceivedMail = { from: string; to: string[]; data: string }
/** What the server says instead of accepting: a line, nothing at all, or the end of the connection. */
export type SmtpFault = { at: 'greeting' | 'RCPT' | 'DATA'; say: string | 'nothing' | 'close' }

/** A mail server on this machine that keeps what it gets. It stops when the test file ends. */
export async function startSmtpServer() {
  const received: ReceivedMail[] = []
  const open = new Set<Socket>()
  const state = { fault: null as SmtpFault | null, connections: 0 }
  const server = createServer((socket) => {
    state.connections++
    open.add(socket)
    socket.on('close', () => open.delete(socket))
    socket.on('error', () => {})
    let mail: ReceivedMail = { from: '', to: [], data: '' }
    let isData = false
    let waiting = ''
    const say = (line: string, at?: SmtpFault['at']) => {
      const fault = state.fault?.at === at ? state.fault?.say : undefined
      if (fault === 'nothing') return false
      if (fault === 'close') {
        socket.destroy()
        return false
      }
      socket.write(`${fault ?? line}\r\n`)
      return fault === undefined
    }
    const take = (line: string) => {
      if (isData) {
        if (line !== '.') mail.data += `${line.startsWith('.') ? line.slice(1) : line}\r\n`
        else {
          isData = false
          if (say('250 kept', 'DATA')) received.push(mail)
          mail = { from: '', to: [], data: '' }
        }
        return
      }
      const address = /<([^>]*)>/.exec(line)?.[1] ?? ''
      if (/^(EHLO|HELO)/i.test(line)) say('250 here')
      else if (/^MAIL/i.test(line)) {
        mail.from = address
        say('250 ok')
      } else if (/^RCPT/i.test(line)) {
        if (say('250 ok', 'RCPT')) mail.to.push(address)
      } else if (/^DATA/i.test(line)) {
        isData = true
        say('354 go on')
      } else if (/^QUIT/i.test(line)) {
        say('221 bye')
        socket.end()
      } else say('502 not known here')
    }
    socket.on('data', (chunk) => {
      const lines = (waiting + chunk.toString('latin1')).split('\r\n')
      waiting = lines.pop()!
      for (const line of lines) take(line)
    })
    say('220 test server', 'greeting')
  })
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
  after(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    state
  }
}
