const LEFT_OUT = new Set(['level', 'time', 'pid', 'msg', 'err', 'reqId'])

/** A JSON log line for people: time, level, message, fields; an error's stack below it. */
export function prettyLine(json: string): string {
  const { level, time, msg, err, ...fields } = JSON.parse(json) as Record<string, unknown>
  const rest = Object.entries(fields)
    .filter(([name]) => !LEFT_OUT.has(name))
    .map(([name, value]) => ` ${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
  const head = `${String(time).slice(11, 23)} ${String(level).toUpperCase().padEnd(5)} ${msg ?? ''}${rest.join('')}\n`
  const stack = (err as { stack?: string } | undefined)?.stack
  return stack ? `${head}${stack.replace(/^/gm, '  ')}\n` : head
}
