export type ReadyTable = {
  api: string
  sandbox: string | null
  /** The sandbox store to look at first. */
  domain: string
  key: string | null
  /** The link for the first owner, while nobody has an account. */
  firstOwner: string | null
}

/** What `serve` prints when the service is ready. */
export function readyTable({ api, sandbox, domain, key, firstOwner }: ReadyTable): string {
  const rows: [string, string][] = [
    ['API', `${api}/v1`],
    ['Docs', `${api}/docs`]
  ]
  if (sandbox) rows.push(['Storefront', `${sandbox}/${domain}/`])
  if (key) rows.push(['Sandbox key', `${key}  (shown this once)`])
  if (firstOwner) rows.push(['First owner', `${firstOwner}  (works once, for a day)`])
  return ['', 'Perennial is ready.', ...rows.map(([name, value]) => `  ${name.padEnd(12)} ${value}`), ''].join('\n')
}
