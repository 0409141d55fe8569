import 'server-only'

const holder = globalThis as typeof globalThis & { __serviceInstances?: Map<string, unknown> }

/**
 * Returns the process-wide instance of `name`. It lives on globalThis because the server's bundle and Next's have
 * separate module variables.
 */
export function perProcess<T>(name: string, create: () => T): T {
  holder.__serviceInstances ??= new Map()
  const instances = holder.__serviceInstances
  // A name is used by one module only, so what is stored under it has that module's type.
  const known = instances.get(name)
  if (known !== undefined) return known as T
  const made = create()
  instances.set(name, made)
  return made
}

export function resetPerProcess(name: string): void {
  holder.__serviceInstances?.delete(name)
}
