import { type Html, html } from './html.ts'

/** A whole HTML page. `stylesheet` is the address of its style sheet, or null for none; `modules` those of its scripts. */
export function htmlDocument({
  title,
  stylesheet,
  modules = [],
  body
}: {
  title: string
  stylesheet: string | null
  modules?: string[]
  body: Html
}): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
${stylesheet && html`<link rel="stylesheet" href="${stylesheet}">`}
${modules.map((address) => html`<script type="module" src="${address}"></script>`)}
</head>
<body>
${body}
</body>
</html>
`.markup
}
