import { inHtml, type Mail } from '#kit/mail'
import { CODE_MINUTES } from './code.ts'

/** The mail with a code. It names the shop and nothing about the person: it may be read by somebody else. */
export function codeMail({ to, shopName, code }: { to: string; shopName: string; code: string }): Mail {
  const asked = `Somebody asked to be identified by this address in the shop ${shopName}.`
  const rule = `It is good for ${CODE_MINUTES} minutes and for one use. Give it to nobody: the shop never asks for it.`
  const otherwise = 'If it was not you, do nothing: without the code nobody is identified.'
  return {
    to,
    senderName: shopName,
    subject: `${code} is your code for ${shopName}`,
    text: `${asked}\n\nYour code: ${code}\n\n${rule}\n\n${otherwise}\n`,
    html: `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>${inHtml(shopName)}</title></head>
<body style="font: 16px/1.5 sans-serif">
<p>${inHtml(asked)}</p>
<p style="font: 700 28px/1.2 monospace; letter-spacing: 0.2em">${code}</p>
<p>${rule}</p>
<p>${otherwise}</p>
</body>
</html>
`
  }
}
