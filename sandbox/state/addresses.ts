/** A postal address of an order. Texts that a country does not use are null. */
export type Address = {
  firstName: string | null
  lastName: string | null
  address1: string | null
  city: string | null
  zip: string | null
  provinceCode: string | null
  countryCode: string
  phone: string | null
}

/** Plausible places of some countries, so that addresses look as they do on the platform. */
const PLACES: Record<string, { provinceCode: string; city: string; zip: string }> = {
  US: { provinceCode: 'NY', city: 'New York', zip: '10001' },
  CA: { provinceCode: 'ON', city: 'Toronto', zip: 'M5V 2T6' },
  GB: { provinceCode: 'ENG', city: 'London', zip: 'EC1A 1BB' },
  DE: { provinceCode: 'BE', city: 'Berlin', zip: '10115' },
  AT: { provinceCode: 'W', city: 'Vienna', zip: '1010' },
  FR: { provinceCode: 'IDF', city: 'Paris', zip: '75001' },
  AU: { provinceCode: 'NSW', city: 'Sydney', zip: '2000' }
}

/** A whole address from what a test or a person cares about; null without a country. `street`: with the number of the house. */
export function addressIn(
  countryCode: string | null,
  provinceCode: string | null,
  person: { id?: string; firstName: string | null; lastName: string | null; phone: string | null },
  street?: string | null
): Address | null {
  if (!countryCode) return null
  const place = PLACES[countryCode]
  return {
    firstName: person.firstName,
    lastName: person.lastName,
    // Each customer lives in a house of their own.
    address1: street || `${person.id ?? 1} Market Street`,
    city: place?.city ?? 'Anytown',
    zip: place?.zip ?? '1000',
    provinceCode: provinceCode ?? place?.provinceCode ?? null,
    countryCode,
    phone: person.phone ?? '+15555550100'
  }
}

/** The country's name in English; a code that nobody knows stays as it is. */
export function countryName(code: string): string {
  try {
    return new Intl.DisplayNames('en', { type: 'region' }).of(code) ?? code
  } catch {
    return code
  }
}
