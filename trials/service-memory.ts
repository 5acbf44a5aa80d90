const MIB = 1024 * 1024

/** The resident memory of a service, by its metrics, in MiB. */
export async function memoryOf(serviceUrl: string): Promise<number> {
  const text = await (await fetch(`${serviceUrl}/metrics`)).text()
  return Number(/^process_memory_usage_bytes\S* (\S+)/m.exec(text)![1]) / MIB
}
