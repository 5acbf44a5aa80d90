// The engines of the mirror, listed in app/engine-list.ts.
export { createContractDiscountEngine } from './contract-discounts/contract-discount-engine.ts'
export { createContractDiscountWalkEngine } from './contract-discounts/contract-discount-walk-engine.ts'
export { createDiscountEngine } from './discounts/discount-engine.ts'
export { createMetafieldEngine } from './metafields/metafield-engine.ts'
export { createMetafieldWalkEngine } from './metafields/metafield-walk-engine.ts'
export { createTagEngine } from './tags/tag-engine.ts'
export { createTagWalkEngine } from './tags/tag-walk-engine.ts'
