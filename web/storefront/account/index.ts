import { define } from '../shared/dom.ts'
import { PerennialJoin } from './join.ts'
import { PerennialMembership } from './membership.ts'

define('perennial-membership', PerennialMembership)
define('perennial-join', PerennialJoin)
