/** Plain data as YAML: blocks for objects and lists, and JSON, which YAML is a superset of, for everything else. */
export function yaml(value: unknown, indent = ''): string {
  if (Array.isArray(value) && value.length > 0) {
    return value.map((one) => `${indent}- ${yaml(one, `${indent}  `).trimStart()}`).join('')
  }
  if (typeof value === 'object' && value !== null && Object.keys(value).length > 0) {
    return Object.entries(value)
      .map(([key, one]) => {
        const isBlock = typeof one === 'object' && one !== null && Object.keys(one).length > 0
        return `${indent}${keyOf(key)}:${isBlock ? `\n${yaml(one, `${indent}  `)}` : ` ${JSON.stringify(one)}\n`}`
      })
      .join('')
  }
  return `${indent}${JSON.stringify(value)}\n`
}

const keyOf = (key: string) => (/^[A-Za-z_][A-Za-z0-9_-]*$/.test(key) ? key : JSON.stringify(key))
