import type { Operation, Parameter } from '../openapi/document-types.ts'

/** A shell command that calls the operation, with the examples of the document. */
export function curl(method: string, address: string, operation: Operation): string {
  const parameters = (operation.parameters ?? []).filter((parameter) => 'name' in parameter)
  const path = address.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(parameters.find((parameter) => parameter.name === name)?.example))
  )
  const body = operation.requestBody?.content['application/json'].example
  const hasBody = body !== undefined && Object.keys(body as object).length > 0
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}"${path}${queryOf(parameters)}"`,
    '-H "Authorization: Bearer $KEY"',
    ...(method === 'GET' ? [] : ['-H "Idempotency-Key: $(uuidgen)"']),
    ...(hasBody ? ['-H "Content-Type: application/json"', `-d '${quoted(JSON.stringify(body))}'`] : [])
  ].join(' \\\n  ')
}

/** The required parameters, and a short page of a list. */
function queryOf(parameters: Parameter[]): string {
  const query = parameters.filter((p) => p.in === 'query' && (p.required || p.name === 'limit'))
  return query.length > 0 ? `?${query.map(({ name, example }) => `${name}=${example}`).join('&')}` : ''
}

const quoted = (value: string) => value.replaceAll("'", "'\\''")
