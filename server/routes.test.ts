import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { routeTable } from '@/scripts/tools/build'

test('the route table is the one that the folders of app/api make; if not: node scripts/run.mjs generate routes', () => {
  expect(readFileSync('server/routes.gen.ts', 'utf8')).toBe(routeTable(process.cwd()))
})
