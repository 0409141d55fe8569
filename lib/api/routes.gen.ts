// Made from the folders of app/api by `node scripts/run.mjs routes`.
import * as route0 from '@/app/api/session/route'
import * as route1 from '@/app/api/v1/chat/completions/route'
import * as route2 from '@/app/api/v1/models/route'
import * as route3 from '@/app/api/v1/models/compatibility_mapping/route'
import * as route4 from '@/app/api/v1/models/traits/route'
import * as route5 from '@/app/api/v1/models/[...id]/route'
import * as route6 from '@/app/api/v1/[...path]/route'

/** Every handler of the API, for the server in front of Next. */
export const routes = [
  { pattern: ['api', 'session'], module: route0 },
  { pattern: ['api', 'v1', 'chat', 'completions'], module: route1 },
  { pattern: ['api', 'v1', 'models'], module: route2 },
  { pattern: ['api', 'v1', 'models', 'compatibility_mapping'], module: route3 },
  { pattern: ['api', 'v1', 'models', 'traits'], module: route4 },
  { pattern: ['api', 'v1', 'models', '[...id]'], module: route5 },
  { pattern: ['api', 'v1', '[...path]'], module: route6 },
]
