/** Names of the provinces of the countries in which most test customers live; others are called by their code. */
const PROVINCES: Record<string, Record<string, string>> = {
  CA: {
    AB: 'Alberta',
    BC: 'British Columbia',
    MB: 'Manitoba',
    NB: 'New Brunswick',
    NL: 'Newfoundland and Labrador',
    NS: 'Nova Scotia',
    ON: 'Ontario',
    PE: 'Prince Edward Island',
    QC: 'Quebec',
    SK: 'Saskatchewan'
  },
  AU: {
    ACT: 'Australian Capital Territory',
    NSW: 'New South Wales',
    QLD: 'Queensland',
    SA: 'South Australia',
    TAS: 'Tasmania',
    VIC: 'Victoria',
    WA: 'Western Australia'
  },
  US: {
    CA: 'California',
    FL: 'Florida',
    IL: 'Illinois',
    MA: 'Massachusetts',
    NY: 'New York',
    TX: 'Texas',
    WA: 'Washington'
  }
}

export const provinceName = (country: string | null, code: string): string | undefined =>
  PROVINCES[country ?? '']?.[code]

/** The code of a province by its name; null if it is not known. */
export function provinceCodeOf(country: string | null, name: string | null | undefined): string | null {
  const found = Object.entries(PROVINCES[country ?? ''] ?? {}).find(([, one]) => one === name?.trim())
  return found?.[0] ?? null
}
