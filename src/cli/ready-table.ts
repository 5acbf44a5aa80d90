/** What `serve` prints when the service is ready. `domain` is the sandbox store to look at first. */
export function readyTable(api: string, sandbox: string | null, domain: string, key: string | null): string {
  const rows: [string, string][] = [
    ['API', `${api}/v1`],
    ['Docs', `${api}/docs`]
  ]
  if (sandbox) rows.push(['Storefront', `${sandbox}/${domain}/`])
  if (key) rows.push(['Sandbox key', `${key}  (shown this once)`])
  return ['', 'Perennial is ready.', ...rows.map(([name, value]) => `  ${name.padEnd(12)} ${value}`), ''].join('\n')
}
