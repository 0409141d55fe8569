import { writeRouteTable } from '@/scripts/tools/route-table'

const hasChanged = await writeRouteTable(process.cwd())
console.log(hasChanged ? 'server/routes.gen.ts is new' : 'server/routes.gen.ts was up to date')
