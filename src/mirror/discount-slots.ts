/** The automatic discounts of ours that a shop can have, by what each is for. */
export const SLOTS = ['prices', 'shipping', 'vip_prices', 'elite_prices', 'vip_shipping', 'elite_shipping'] as const
export type Slot = (typeof SLOTS)[number]

/** How members get their prices at the checkout: by the function of the app, by what the platform does itself, or not by us. */
export type Enforcement = 'off' | 'native' | 'function'
