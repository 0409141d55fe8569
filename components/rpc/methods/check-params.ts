import { isRecord } from '@/components/rpc/methods/blocks'
import { checkField, checkFields } from '@/components/rpc/methods/check-type'
import { error, shown, warning } from '@/components/rpc/methods/hex'
import { ruleFaults } from '@/components/rpc/methods/rules'
import { newSink, report, type Sink } from '@/components/rpc/methods/sink'
import type { MethodDoc, ParamPath, ParamProblem } from '@/components/rpc/methods/types'

/**
 * What is wrong with the parameters of a call, before it costs anything. Errors are what every node would refuse, warnings
 * what is most likely not meant. The node has the last word: what this does not know it lets through.
 */
export function checkParams(doc: MethodDoc, params: unknown): ParamProblem[] {
  const sink = newSink()
  if (params === undefined || params === null) checkPlaces(doc, [], sink)
  else if (Array.isArray(params)) checkPlaces(doc, params, sink)
  else if (isRecord(params) && doc.paramsBy === 'name') checkFields(doc.params, params, [], sink)
  else if (isRecord(params)) report(sink, [], error('Parameters of this method go by place: write a list, [ … ].'))
  else report(sink, [], error(`Parameters are a list, not ${shown(params)}.`))
  return sink.problems
}

function checkPlaces(doc: MethodDoc, params: readonly unknown[], sink: Sink): void {
  doc.params.forEach((param, index) => {
    // A list that names no parameter is told once which is missing; by name there is a better place for it.
    const path: ParamPath = doc.paramsBy === 'name' && params.length === 0 ? [param.name] : [index]
    checkField(param, params[index], path, sink)
  })
  const { length } = doc.params
  if (params.length > length) {
    const takes = length === 0 ? 'takes no parameters' : `takes ${length} at most`
    report(sink, [length], warning(`${doc.method} ${takes}: nodes may refuse more.`))
  }
  if (doc.rule) for (const { at, ...fault } of ruleFaults(doc.rule, params)) report(sink, at, fault)
}
