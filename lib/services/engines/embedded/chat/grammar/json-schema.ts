import { EngineError } from '../../../engine.ts'

export type Schema = Record<string, unknown>

const MAX_HOPS = 32
const MAX_FLATTENED = 5_000
const MAX_PLACE_CHARACTERS = 120

const ANNOTATIONS = new Set(
  `$schema $id $anchor $comment $defs definitions title description default example examples deprecated readOnly
  writeOnly contentEncoding contentMediaType discriminator strict unevaluatedProperties unevaluatedItems`.split(/\s+/),
)
// Keywords that the grammar cannot express, and without which a value has another shape.
const UNKNOWN =
  `not if then else patternProperties propertyNames dependentSchemas dependentRequired dependencies contains
  minContains maxContains $dynamicRef $recursiveRef`.split(/\s+/)
// Keywords about a value's content that only chance would follow: a strict schema may not have them.
const LOOSE = ['pattern', 'multipleOf', 'uniqueItems']

export class SchemaDocument {
  readonly root: unknown
  readonly isStrict: boolean
  #flattened = 0

  constructor(root: unknown, isStrict: boolean) {
    this.root = root
    this.isStrict = isStrict
  }

  isAnnotation(key: string): boolean {
    return ANNOTATIONS.has(key)
  }

  plainReference(schema: unknown): string | undefined {
    if (!isObject(schema) || typeof schema.$ref !== 'string') return undefined
    return Object.keys(schema).every((key) => key === '$ref' || ANNOTATIONS.has(key)) ? schema.$ref : undefined
  }

  /**
   * Resolves `$ref` and merges `allOf`.
   *
   * @throws EngineError `invalid-request` with the place of what cannot be followed.
   */
  flatten(schema: unknown, place: string, hops = 0): Schema {
    if (schema === true) return {}
    if (schema === false) throw this.refusal(place, 'allows no value')
    if (!isObject(schema)) throw this.refusal(place, 'is not a schema')
    if (hops > MAX_HOPS) throw this.refusal(place, 'refers to itself without end')
    if (++this.#flattened > MAX_FLATTENED) throw this.refusal(place, 'is too large')
    this.#check(schema, place)
    const { $ref, allOf, ...own } = schema
    const parts: Schema[] = []
    if ($ref !== undefined) parts.push(this.flatten(this.resolve($ref, place), place, hops + 1))
    if (allOf !== undefined) {
      if (!Array.isArray(allOf)) throw this.refusal(`${place}/allOf`, 'is not a list')
      parts.push(...allOf.map((part, index) => this.flatten(part, `${place}/allOf/${index}`, hops + 1)))
    }
    return parts.concat(own).reduce((all, part) => this.#lay(all, part, place), {})
  }

  merge(one: Schema, other: unknown, place: string): Schema {
    return this.#lay(one, this.flatten(other, place), place)
  }

  #lay(one: Schema, other: Schema, place: string): Schema {
    const merged = { ...one }
    for (const [key, value] of Object.entries(other)) {
      if (!Object.hasOwn(merged, key) || ANNOTATIONS.has(key)) merged[key] = value
      else merged[key] = this.#both(key, merged[key], value, `${place}/${key}`)
    }
    return merged
  }

  resolve(reference: unknown, place: string): unknown {
    const pointer = typeof reference === 'string' ? /^#((?:\/[^/]*)*)$/.exec(reference)?.[1] : undefined
    if (pointer === undefined)
      throw this.refusal(`${place}/$ref`, 'does not refer to a place of this schema, as #/$defs/NAME does')
    let found: unknown = this.root
    for (const step of pointer.split('/').slice(1)) {
      const key = decode(step).replaceAll('~1', '/').replaceAll('~0', '~')
      const isThere = typeof found === 'object' && found !== null && Object.hasOwn(found, key)
      found = isThere ? (found as Schema)[key] : undefined
    }
    if (found === undefined) throw this.refusal(`${place}/$ref`, 'refers to a place that is not there')
    return found
  }

  refusal(place: string, why: string): EngineError {
    const shown = place.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '').slice(0, MAX_PLACE_CHARACTERS)
    return new EngineError('invalid-request', `This model cannot follow the JSON schema: ${shown} ${why}.`)
  }

  #check(schema: Schema, place: string): void {
    const unknown = UNKNOWN.find((key) => Object.hasOwn(schema, key))
    if (unknown) throw this.refusal(`${place}/${unknown}`, 'is a rule that it does not know')
    const loose = LOOSE.find((key) => Object.hasOwn(schema, key) && schema[key] !== false)
    if (loose && this.isStrict)
      throw this.refusal(`${place}/${loose}`, 'is a rule that it does not know, and the schema is strict')
  }

  #both(key: string, one: unknown, other: unknown, place: string): unknown {
    if (key === 'properties' && isObject(one) && isObject(other)) return this.#properties(one, other, place)
    if (key === 'required' && Array.isArray(one) && Array.isArray(other)) return [...new Set([...one, ...other])]
    if (key === 'type') return this.#shared(typesOf(one), typesOf(other), place)
    if (key === 'enum' && Array.isArray(one) && Array.isArray(other)) return this.#shared(one, other, place)
    if (key === 'additionalProperties' && (one === false || other === false)) return false
    if (/^(min|exclusiveMin)/.test(key) && areNumbers(one, other)) return Math.max(one as number, other as number)
    if (/^(max|exclusiveMax)/.test(key) && areNumbers(one, other)) return Math.min(one as number, other as number)
    if (JSON.stringify(one) === JSON.stringify(other)) return one
    throw this.refusal(place, 'stands there twice with different values')
  }

  #properties(one: Schema, other: Schema, place: string): Schema {
    const both = { ...one }
    for (const [name, value] of Object.entries(other)) {
      const at = `${place}/${name}`
      both[name] = Object.hasOwn(one, name) ? this.merge(this.flatten(one[name], at), value, at) : value
    }
    return both
  }

  #shared(one: unknown[], other: unknown[], place: string): unknown[] {
    const shared = one.filter((value) => other.some((same) => JSON.stringify(same) === JSON.stringify(value)))
    if (shared.length === 0) throw this.refusal(place, 'allows no value')
    return shared
  }
}

export function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function typesOf(type: unknown): unknown[] {
  const named = [type].flat()
  return named.includes('number') && !named.includes('integer') ? [...named, 'integer'] : named
}

const areNumbers = (...values: unknown[]): boolean => values.every((value) => typeof value === 'number')

function decode(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    // Not encoded after all.
    return step
  }
}
