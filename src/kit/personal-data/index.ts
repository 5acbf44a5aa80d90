export {
  definePersonalData,
  type ErasedPart,
  inOneStep,
  inWindows,
  type PersonalData,
  WINDOW
} from './define-personal-data.ts'
export { documentEraser, jsonEraser } from './json-eraser.ts'
export { changedBy, endOf, factRetriesHeld, factsHeld, jobsHeld, responsesHeld } from './kit-tables.ts'
export { certainlyAbout, ERASED, identifiersOf, namedIn, type Person, textEraser } from './person.ts'
