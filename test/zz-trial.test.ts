import { test } from 'node:test'
import { readFileSync, writeFileSync, statSync } from 'node:fs'
import { execFile, spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import pg from 'pg'
import { testDatabase } from './database.ts'
import { freePort } from './service-process.ts'
const { url } = await testDatabase()
const ROWS = Number(process.env.ROWS ?? 50000)
const TOKEN = 'trial-operator-token-0123456789abcdef'
const dir = mkdtempSync('/tmp/trial-')
const log = (...a: unknown[]) => console.error(((performance.now()/1000)|0)+'s', ...a)
test('trial', { timeout: 1500000 }, async () => {
  const port = await freePort(), sport = await freePort()
  const env = { ...process.env, DATABASE_URL: url, DATA_DIR: dir, PORT: String(port), SANDBOX_PORT: String(sport), DEMO: 'off', LOG_LEVEL: 'warn', LOG_FORMAT: 'json', PERENNIAL_TOKEN: TOKEN, PERENNIAL_URL: `http://127.0.0.1:${port}` }
  let child: any
  const start = () => new Promise<void>((res) => { child = spawn(process.execPath, ['src/main.ts', 'serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] }); child.stdout.on('data', (c: Buffer) => { if (/API\s+http/.test(String(c))) res() }) })
  const rss = () => { try { return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))![1]) / 1024) } catch { return -1 } }
  await start()
  const call = async (m: string, p: string, b?: unknown) => { const r = await fetch(`http://127.0.0.1:${port}/admin/api${p}`, { method: m, headers: { authorization: `Bearer ${TOKEN}`, ...(b ? { 'content-type': 'application/json' } : {}) }, body: b ? JSON.stringify(b) : undefined }); return r.json() as any }
  const store = await call('POST', '/stores', { domain: 'trial.example', name: 'T', timezone: 'America/New_York', currency: 'USD', plan: 'enterprise', sandbox: true, clock: '2026-01-31T15:00:00Z' })
  await call('POST', `/stores/${store.id}/plans`, { name: 'VIP', type: 'vip', price: '29.00', interval: 'month' })
  const sid = Number(store.id.slice(6))
  const customer = await call('POST', `/stores/${store.id}/sandbox/customers`, { email: 'first@example.com' })
  const joined = await call('POST', `/stores/${store.id}/sandbox/joins`, { customer: customer.id, plan: 'VIP' })
  const db = new pg.Client({ connectionString: url }); await db.connect()
  // the others are copies of the first
  await db.query(`insert into sandbox.customers select (jsonb_populate_record(c, jsonb_build_object('id', 9000000 + n, 'email', 'p' || n || '@example.com'))).* from sandbox.customers c, generate_series(1, $2::int) n where c.store_id = $1 and c.id = $3`, [sid, ROWS, customer.id])
  await db.query(`insert into sandbox.payment_methods select (jsonb_populate_record(c, jsonb_build_object('token', 'tok' || n, 'customer_id', 9000000 + n))).* from sandbox.payment_methods c, generate_series(1, $2::int) n where c.store_id = $1 and c.customer_id = $3`, [sid, ROWS, customer.id])
  await db.query(`insert into sandbox.contracts select (jsonb_populate_record(c, jsonb_build_object('id', 9000000 + n, 'customer_id', 9000000 + n, 'payment_token', 'tok' || n, 'origin_order_id', null, 'next_billing_at', '2027-01-01T00:00:00Z'))).* from sandbox.contracts c, generate_series(1, $2::int) n where c.store_id = $1 and c.id = $3`, [sid, ROWS, joined.contract_id])
  log('prepared')
  const lines = ['\ufeffcontract_id,email,price,next_billing_date,external_id']
  const bad: Record<string, number> = {}
  for (let i = 1; i <= ROWS; i++) {
    const ok = `${9000000 + i},p${i}@example.com,29.00,2026-03-0${(i % 9) + 1},x${i}`
    const kind = i % 10 === 0 ? (i / 10) % 8 : -1
    if (kind === 0) lines.push(`${9000000 + i},"p${i}@exa"mple.com,29.00,2026-03-01,x${i}`)
    else if (kind === 1) lines.push(`${9000000 + i},p${i}@example.com`)
    else if (kind === 2) lines.push(`${9000000 + i - 1},p${i - 1}@example.com,29.00,2026-03-01,x${i}`)
    else if (kind === 3) lines.push(`${9000000 + i},p${i}@example.com,29.001,2026-03-01,x${i}`)
    else if (kind === 4) lines.push(`${9000000 + i},p${i}@example.com,29.00,2026-01-01,x${i}`)
    else if (kind === 5) lines.push(`${9000000 + i},p${i}@example.com,31.00,2026-03-01T12:00:00+09:00,x${i}`)
    else if (kind === 6) lines.push(`${8000000 + i},p${i}@example.com,29.00,2026-03-01,x${i}`)
    else if (kind === 7) lines.push(`${9000000 + i},"p${i}@example.com","29.00","2026-03-01T12:00:00+09:00","x,""${i}"""`)
    else lines.push(ok)
    if (kind >= 0) bad[kind] = (bad[kind] ?? 0) + 1
  }
  const file = `${dir}/members.csv`
  writeFileSync(file, lines.join('\r\n') + '\r\n')
  log('file', Math.round(statSync(file).size / 1024), 'KiB', JSON.stringify(bad), 'rss', rss())
  const cli = () => new Promise<string>((res) => execFile(process.execPath, ['src/main.ts', 'import', 'file', file, '--store', 'trial.example', '--mode', 'paused', '--json'], { env, maxBuffer: 1e8 }, (e, out, err) => res(`${e ? (e as any).code : 0} ${out}${err.slice(-600)}`)))
  let t = performance.now()
  let first = cli()
  // killed while the file is received
  await new Promise((r) => setTimeout(r, Number(process.env.KILL1 ?? 3000)))
  child.kill('SIGKILL'); log('cli said', (await first).slice(0, 300))
  await start()
  const at = async () => (await call('GET', `/stores/${store.id}/imports`)).data[0]
  log('after kill', JSON.stringify(await at()))
  t = performance.now()
  const done = cli()
  let killed = false
  let peak = 0
  for (let over = false; !over; ) {
    const d = await Promise.race([done.then(() => 'done'), new Promise<string>((r) => setTimeout(() => r(''), 4000))])
    over = d === 'done'
    const now = await at().catch(() => null)
    peak = Math.max(peak, rss())
    if (now) log(now.status, now.total, now.created, now.refused, now.waiting, 'rss', rss())
    if (now?.status === 'running' && now.created > ROWS / 4 && !killed && process.env.KILL2) { killed = true; child.kill('SIGKILL'); await start(); log('killed and started') }
    if (performance.now() - t > Number(process.env.MAX ?? 600) * 1000) { log('time is up'); break }
  }
  log('took', Math.round((performance.now() - t) / 1000), 's; peak', peak)
  const r = await fetch(`http://127.0.0.1:${port}/admin/api/stores/${store.id}/imports/${(await at()).id}/refused?format=csv`, { headers: { authorization: `Bearer ${TOKEN}` } })
  const report = await r.text()
  const byKind = new Map<string, string>()
  for (const line of report.split('\r\n').slice(1)) { const k = line.replace(/\d+/g, '#'); if (!byKind.has(k)) byKind.set(k, line) }
  log(report.split('\r\n')[0], report.split('\r\n').length)
  for (const line of [...byKind.values()].slice(0, 20)) log(line)
  await db.end()
  child.kill('SIGTERM')
  await new Promise((r) => child.once('exit', r))
})
