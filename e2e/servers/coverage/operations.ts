import { LEAST } from '@/e2e/servers/coverage/least'
import type { Operation } from '@/e2e/servers/fuzz/operations'
import type { FuzzStage } from '@/e2e/servers/fuzz/stage'
import { type Hints, valueFor } from '@/e2e/servers/fuzz/values'

/** An operation of the document, with what there is on the stage. */
export type CoveredOperation = Operation & {
  access: 'paid' | 'key' | 'admin' | 'wallet' | 'optional' | 'none'
  hints: Hints
  /** Below the base, with something that is there in place of each parameter. */
  address: string
}

export function coveredOperation(place: string, { document, operations, fittingOf }: FuzzStage): CoveredOperation {
  const operation = operations.find((one) => one.place === place)
  if (!operation) throw new Error(`the document has no ${place}`)
  const { hints } = fittingOf(operation)
  const { security } = document.paths[operation.path]![operation.method.toLowerCase()] as { security: object[] }
  const address = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const { schema, example } = operation.parameters.find((one) => one.name === name)!
    return encodeURIComponent(String(hints[name]?.[0] ?? example ?? valueFor(schema, LEAST, hints, name)))
  })
  return { ...operation, access: accessOf(security), hints, address }
}

function accessOf(security: object[]): CoveredOperation['access'] {
  const schemes = security.flatMap(Object.keys)
  if (schemes.length === 0) return 'none'
  if (schemes.includes('payment')) return 'paid'
  if (schemes.includes('adminKey')) return 'admin'
  if (schemes.includes('wallet')) return 'wallet'
  return security.some((one) => Object.keys(one).length === 0) ? 'optional' : 'key'
}
