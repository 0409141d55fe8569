import { writeRouteTable } from '@/scripts/tools/route-table'

const hasChanged = await writeRouteTable(process.cwd())
console.log(hasChanged ? 'lib/api/routes.gen.ts is new' : 'lib/api/routes.gen.ts was up to date')
