export function mount(place, feed) {
  return () => {};
}
