import type { startService } from './service-builder.ts'

type Service = Awaited<ReturnType<typeof startService>>

/** Adds a version of a plan at `/stores/{store}/plans/{plan}`; one for running subscriptions is previewed before. */
export async function addPlanVersion(service: Service, planAt: string, version: Record<string, string | number>) {
  const at = `${planAt}/versions`
  if (version.apply_to === 'new') return service.admin('POST', at, version)
  const query = new URLSearchParams(Object.entries(version).map(([name, value]) => [name, String(value)]))
  const { preview } = await service.admin('GET', `${at}/preview?${query}`)
  return service.admin('POST', at, { ...version, preview })
}
