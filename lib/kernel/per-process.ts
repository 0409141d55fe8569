import 'server-only'

const holder = globalThis as typeof globalThis & { __serviceInstances?: Map<string, unknown> }

/**
 * The one instance of a thing in this process. It hangs on globalThis because the server's bundle and Next's each have
 * their own copy of a module's variables.
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

/** Forgets an instance, so that the next use makes a new one: for tests and for a changed configuration. */
export function resetPerProcess(name: string): void {
  holder.__serviceInstances?.delete(name)
}
