// A change of theme repaints everything but the charts, whose colours Python sets: so it asks for another run.
export default function ({ parentElement, setTriggerValue }) {
  const ground = parentElement.querySelector("i");
  const told = () => setTriggerValue("theme", getComputedStyle(ground).color);
  ground.addEventListener("transitionend", told);
  return () => ground.removeEventListener("transitionend", told);
}
