/** Every type of metafields, in the platform's order. */
export const METAFIELD_TYPES = `
  antenna_gain area battery_charge_capacity battery_energy_capacity boolean capacitance color concentration
  data_storage_capacity data_transfer_rate date_time date dimension display_density distance duration
  electric_current electrical_resistance energy float frequency id illuminance inductance integer json_string
  json jurisdiction language link list.antenna_gain list.area list.battery_charge_capacity
  list.battery_energy_capacity list.boolean list.capacitance list.color list.concentration
  list.data_storage_capacity list.data_transfer_rate list.date_time list.date list.dimension
  list.display_density list.distance list.duration list.electric_current list.electrical_resistance
  list.energy list.frequency list.illuminance list.inductance list.jurisdiction list.link list.luminous_flux
  list.mass_flow_rate list.multi_line_text_field list.number_decimal list.number_integer list.power
  list.pressure list.rating list.resolution list.rotational_speed list.single_line_text_field list.sound_level
  list.speed list.temperature list.thermal_power list.url list.voltage list.volume list.volumetric_flow_rate
  list.weight luminous_flux mass_flow_rate money multi_line_text_field number_decimal number_integer power
  pressure rating resolution rich_text_field rotational_speed single_line_text_field sound_level speed string
  temperature thermal_power url voltage volume volumetric_flow_rate weight company_reference
  list.company_reference customer_reference list.customer_reference product_reference list.product_reference
  collection_reference list.collection_reference variant_reference list.variant_reference file_reference
  list.file_reference product_taxonomy_value_reference list.product_taxonomy_value_reference
  product_taxonomy_disclosure_reference metaobject_reference list.metaobject_reference mixed_reference
  list.mixed_reference disclosure_reference list.disclosure_reference page_reference list.page_reference
  article_reference list.article_reference order_reference list.order_reference
`
  .trim()
  .split(/\s+/)

/** Types that values may still have, but that new definitions may not. */
const OLD_TYPES = new Set(['float', 'integer', 'json_string', 'list.boolean', 'list.multi_line_text_field', 'string'])
export const DEFINABLE_TYPES = METAFIELD_TYPES.filter((type) => !OLD_TYPES.has(type))

const CATEGORIES: Record<string, string> = {
  boolean: 'TRUE_FALSE',
  color: 'COLOR',
  date: 'DATE_TIME',
  date_time: 'DATE_TIME',
  id: 'ID',
  json: 'JSON',
  link: 'LINK',
  url: 'URL',
  money: 'NUMBER',
  rating: 'RATING',
  number_decimal: 'NUMBER',
  number_integer: 'NUMBER',
  multi_line_text_field: 'TEXT',
  rich_text_field: 'TEXT',
  single_line_text_field: 'TEXT',
  language: 'TEXT'
}

/** The group of a type; that of a list is the group of its elements. */
export function categoryOf(type: string): string {
  const element = type.replace(/^list\./, '')
  return CATEGORIES[element] ?? (element.endsWith('_reference') ? 'REFERENCE' : 'MEASUREMENT')
}
