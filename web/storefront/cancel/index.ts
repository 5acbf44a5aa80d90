import { define } from '../shared/dom.ts'
import { PerennialCancel } from './element.ts'

define('perennial-cancel', PerennialCancel)
