//! A vector of a passage as it is kept: a byte for each number, and one scale.

/// A vector of about the length 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Vector {
    /// What one step of a byte is.
    scale: f32,
    steps: Vec<i8>,
}

impl Vector {
    /// The nearest vector that can be kept. `numbers` are finite.
    pub fn of(numbers: &[f32]) -> Self {
        let most = numbers.iter().fold(0.0_f32, |most, number| most.max(number.abs()));
        let scale = most / f32::from(i8::MAX);
        let step = |number: &f32| if scale > 0.0 { (number / scale).round() as i8 } else { 0 };
        Self { scale, steps: numbers.iter().map(step).collect() }
    }

    /// How like the direction of another vector its own is: the cosine, -1 to 1. 0 if their sizes differ.
    pub fn likeness(&self, other: &[f32]) -> f64 {
        if other.len() != self.steps.len() {
            return 0.0;
        }
        let products = self.steps.iter().zip(other).map(|(step, number)| f32::from(*step) * number);
        f64::from(products.sum::<f32>() * self.scale).clamp(-1.0, 1.0)
    }

    /// How many numbers it has.
    pub const fn size(&self) -> usize {
        self.steps.len()
    }

    /// The scale, little-endian, and the steps.
    pub fn to_bytes(&self) -> Vec<u8> {
        let steps = self.steps.iter().map(|step| step.to_le_bytes()[0]);
        self.scale.to_le_bytes().into_iter().chain(steps).collect()
    }

    /// What [`Vector::to_bytes`] gave; `None` if it cannot have.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (scale, steps) = bytes.split_first_chunk::<4>()?;
        let scale = f32::from_le_bytes(*scale);
        let steps = steps.iter().map(|step| i8::from_le_bytes([*step])).collect();
        scale.is_finite().then_some(Self { scale, steps })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(crate::cases::held_to(128))]
        #[test]
        fn little_is_lost_when_a_vector_is_kept(numbers in proptest::collection::vec(-1.0_f32..1.0, 2..400)) {
            let length = numbers.iter().map(|number| number * number).sum::<f32>().sqrt().max(1e-3);
            let unit: Vec<f32> = numbers.iter().map(|number| number / length).collect();
            let kept = Vector::from_bytes(&Vector::of(&unit).to_bytes()).unwrap();
            let itself: f32 = unit.iter().map(|number| number * number).sum();
            // half a step in each number
            prop_assert!((kept.likeness(&unit) - f64::from(itself)).abs() < 0.01, "{}", kept.likeness(&unit));
        }
    }

    #[test]
    fn a_vector_of_another_size_is_like_nothing() {
        let vector = Vector::of(&[0.6, 0.8]);
        assert_eq!((vector.size(), vector.likeness(&[1.0, 0.0, 0.0])), (2, 0.0));
        assert!((vector.likeness(&[0.8, 0.6]) - 0.96).abs() < 0.01);
        assert_eq!(Vector::of(&[0.0, 0.0]).likeness(&[1.0, 0.0]), 0.0);
        let mut bytes = vector.to_bytes();
        bytes[..4].copy_from_slice(&f32::NAN.to_le_bytes());
        assert_eq!((Vector::from_bytes(&bytes), Vector::from_bytes(&[1, 2])), (None, None));
    }
}
