import { writeRouteTable } from '@/scripts/tools/build'

const hasChanged = await writeRouteTable(process.cwd())
console.log(hasChanged ? 'server/routes.gen.ts is new' : 'server/routes.gen.ts was up to date')
